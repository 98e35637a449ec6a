"""Where the panes stand, and how they look: narrow and wide terminals, low and high ones."""

from __future__ import annotations

CSS = """\
#top { height: 1; padding: 0 1; background: $panel; color: $text; }
Panes { height: 1fr; }
#panes { height: 1fr; layout: grid; grid-size: 2 2; grid-columns: 2fr 3fr; grid-rows: 9 1fr; }
#timeline { column-span: 2; }
.-high.-narrow #panes { grid-rows: 2fr 3fr; }
.-wide #panes { grid-columns: 9fr 11fr; grid-rows: 1fr 2fr; }
.-wide #timeline { column-span: 1; row-span: 2; }
.-alone #panes { grid-size: 1 1; grid-columns: 1fr; grid-rows: 1fr; }
.-alone #timeline { column-span: 1; row-span: 1; }
#filter { display: none; height: 1; border: none; padding: 0 1; background: $boost; }
#filter.-open { display: block; }
ModalScreen { align: center middle; }
.dialog {
    width: 90%; max-width: 120; height: 90%; max-height: 40; padding: 0 1;
    background: $surface; border: round $primary;
}
.dialog.-tall { height: 100%; }
.dialog.-small { height: auto; max-width: 76; }
.dialog #heading, .dialog #sum, .dialog #wrong { height: auto; }
.dialog #heading { text-style: bold; }
.dialog #sum { text-style: bold; color: $text-warning; }
.dialog #wrong { color: $text-error; }
.dialog Wrapped { height: 1fr; border: round $panel-lighten-2; }
.dialog.-parts #items { height: 2fr; }
.dialog.-parts #part { height: 3fr; }
.dialog .keys { height: 1; color: $text-muted; }
.dialog .buttons { height: 1; }
.dialog Button { margin-right: 2; min-width: 10; }
"""
