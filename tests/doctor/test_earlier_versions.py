"""A base of an earlier version is no fault, and a repair leaves no half of its import."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_checkpoints import examine, repair
from history.old_bases import extracted


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_a_base_of_an_earlier_version_has_no_fault_but_that_others_see_it(
    version: str, tmp_path: Path
) -> None:
    base = extracted(version, tmp_path) / "checkpoints"
    base.chmod(0o700)
    found = examine(base=base)
    assert found.faults == ()
    assert found.not_looked == {}
    assert "ref-foreign" not in {one.kind for one in found.findings}


@pytest.mark.campaign(beyond=1)
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_a_repair_imports_a_base_of_an_earlier_version(version: str, tmp_path: Path) -> None:
    base = extracted(version, tmp_path) / "checkpoints"
    base.chmod(0o755)
    left = repair(base=base).left
    assert left.faults == ()
    assert left.not_looked == {}
