"""What concerns the base as a whole: status, usage, clear, rebind, recover, rebuild."""
