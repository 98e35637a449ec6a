"""What stands before the panes: the help, and the question for a label."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from hermes_checkpoints.cli.browse.keys import KEYS
from hermes_checkpoints.cli.browse.reading import Line
from hermes_checkpoints.cli.browse.words import Clean
from hermes_checkpoints.cli.browse.wrapped import Wrapped
from hermes_checkpoints.cli.take import DEFAULT_REASON
from hermes_checkpoints.errors import CheckpointError, LabelInUse
from hermes_checkpoints.model import Checkpoint


class Help(ModalScreen[None]):
    """What each key does."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,question_mark", "close", "Close")
    ]

    def __init__(self, clean: Clean) -> None:
        super().__init__()
        self._clean = clean

    def compose(self) -> ComposeResult:
        """Make the list."""
        with Vertical(classes="dialog -tall"):
            yield Wrapped(self._clean)
            yield Static("Esc  close", classes="keys", markup=False)

    def on_mount(self) -> None:
        """Fill it."""
        lines = self.query_one(Wrapped)
        lines.name_it("Keys")
        lines.show([Line(f"{self._clean(keys):<10} {does}") for keys, does in KEYS])
        lines.focus()

    def action_close(self) -> None:
        """Go back."""
        self.dismiss()


class AskReason(ModalScreen[str | None]):
    """Asks why a checkpoint is to be taken; nothing typed is the reason that ``take`` has, too."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Cancel")]

    def compose(self) -> ComposeResult:
        """Make the question."""
        with Vertical(classes="dialog -small"):
            yield Static("Take a checkpoint of the files as they are now. Why?", markup=False)
            yield Input(
                placeholder=f"before the clean-up (default: {DEFAULT_REASON})", compact=True
            )
            yield Static("Enter  take    Esc  cancel", classes="keys", markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go on with it."""
        self.dismiss(event.value.strip() or DEFAULT_REASON)

    def action_close(self) -> None:
        """Go back without one."""
        self.dismiss(None)


class AskLabel(ModalScreen[Checkpoint | None]):
    """Asks for a label, and gives it or takes it away. ``act`` does that: it takes the name, and
    whether another checkpoint may lose it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Cancel")]

    def __init__(
        self,
        clean: Clean,
        checkpoint: Checkpoint,
        act: Callable[[str, bool], Awaitable[Checkpoint]],
    ) -> None:
        super().__init__()
        self._clean = clean
        self._checkpoint = checkpoint
        self._act = act
        self._taken: str | None = None

    def compose(self) -> ComposeResult:
        """Make the question."""
        labels = self._checkpoint.labels
        has = f"It has: {', '.join(labels)}; type one of them to take it away." if labels else ""
        with Vertical(classes="dialog -small"):
            yield Static(
                self._clean(f"A label for checkpoint {self._checkpoint.short_id}. {has}"),
                markup=False,
            )
            yield Input(placeholder="such as good-start", compact=True)
            yield Static("", id="wrong", markup=False)
            yield Static("Enter  done    Esc  cancel", classes="keys", markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Do it."""
        name = event.value.strip()
        if name:
            self._label(name)

    @work(exclusive=True)
    async def _label(self, name: str) -> None:
        try:
            self.dismiss(await self._act(name, name == self._taken))
        except CheckpointError as error:
            more = ""
            if isinstance(error, LabelInUse):
                self._taken, more = name, "; Enter once more moves it here"
            self.query_one("#wrong", Static).update(self._clean(f"{error}{more}"))

    def action_close(self) -> None:
        """Go back without one."""
        self.dismiss(None)
