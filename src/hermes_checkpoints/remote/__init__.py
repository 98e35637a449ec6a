"""Talks to the one git server that keeps checkpoints beyond this machine, if one is configured.

The address comes from the configuration of the home alone, and nobody is ever asked for anything.
Takes, restores and prunes use nothing of this package: they neither wait for a network nor fail
because of it.
"""
