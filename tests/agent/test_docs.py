"""docs/agent.md describes every key of the configuration."""

from __future__ import annotations

from hermes_checkpoints.config import Config
from pages.blocks import PAGES

TEXT = PAGES["docs/agent.md"]


def test_every_key_of_the_configuration_is_described() -> None:
    section = TEXT[TEXT.index("## Configuration") :]
    for name in Config.__dataclass_fields__:
        assert name == "warnings" or f"`{name}`" in section, name
