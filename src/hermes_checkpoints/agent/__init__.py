"""What a host agent embeds: the manager, the rollback command, maintenance."""
