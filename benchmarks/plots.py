"""Plots of how the cases grow: with files, changes, projects, and checkpoints.

The SVG files are the same for the same figures: no date, no random names, no outlines of letters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contestants import GIT, OURS, V2, WALK
from benchmarks.measuring import TIME, Figures

COLOURS = {OURS: "#0072b2", V2: "#d55e00", GIT: "#666666", WALK: "#009e73"}
NAMES = {OURS: "ours", V2: "hermes-agent 0.19.0", GIT: "bare git", WALK: "walk"}


@dataclass(frozen=True)
class Plot:
    """A file of panels side by side: of each its title and the cases that are its points."""

    name: str
    scale: str
    panels: Sequence[tuple[str, Sequence[str]]]


SIZES = ("1k", "10k", "45k")
PLOTS = (
    Plot(
        "files",
        "files",
        [
            (title, [f"{case}-{size}" for size in SIZES])
            for title, case in (
                ("first take", "first-take"),
                ("unchanged", "unchanged"),
                ("one file changed", "one-file"),
            )
        ],
    ),
    Plot(
        "changes",
        "changes",
        [
            ("take, 10,000 files", ["one-file-10k", "100-files-10k", "all-files-10k"]),
            ("restore, 10,000 files", ["restore-one", "restore-100", "restore-all"]),
        ],
    ),
    Plot(
        "projects",
        "projects",
        [("status of the store", [f"status-{count}" for count in (1, 20, 250, 1000)])],
    ),
    Plot(
        "checkpoints",
        "checkpoints",
        [
            ("list", [f"list-{count}" for count in (5, 20, 100)]),
            ("one file changed, over the limit", [f"kept-{count}-1k" for count in (5, 20, 100)]),
        ],
    ),
)


def draw(found: Sequence[Figures], folder: Path) -> list[Path]:
    """Write the plots whose cases were measured into a folder; return their files."""
    by_case = {figures.case: figures for figures in found}
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for plot in PLOTS:
        panels = [
            (title, [by_case[case] for case in cases if case in by_case])
            for title, cases in plot.panels
        ]
        panels = [(title, points) for title, points in panels if points]
        if panels:
            made.append(folder / f"{plot.name}.svg")
            _draw(panels, plot.scale, made[-1])
    return made


def _draw(panels: Sequence[tuple[str, Sequence[Figures]]], scale: str, file: Path) -> None:
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullLocator

    with mpl.rc_context({"svg.hashsalt": "benchmarks", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(3.6 * len(panels), 3.2), layout="constrained")
        axes = figure.subplots(1, len(panels), squeeze=False)[0]
        for axis, (title, points) in zip(axes, panels, strict=True):
            axis.set(xscale="log", yscale="log", title=title, xlabel=scale)
            sizes = sorted({point.scale[scale] for point in points})
            axis.set_xticks(sizes, [f"{size:,}" for size in sizes])
            axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
            for one in (axis.xaxis, axis.yaxis):
                one.set_minor_locator(NullLocator())
            axis.grid(visible=True, which="major", color="#dddddd")
            for who, colour in COLOURS.items():
                known = [
                    (point.scale[scale], median)
                    for point in points
                    if (median := point.median(TIME, who)) is not None
                ]
                if known:
                    axis.plot(*zip(*known, strict=True), "o-", color=colour, label=NAMES[who])
            axis.legend(frameon=False, fontsize=8)
        axes[0].set_ylabel("milliseconds")
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
