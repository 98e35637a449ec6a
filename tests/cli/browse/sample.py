"""A small project with the history of an afternoon: an agent that was asked four things, a person
who edits, and a restore. All of it is done by the program; only time is moved, in the rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from hermes_checkpoints import Checkpoints, Kind, Project, Taken

SESSION = "5f1c-shop"
FILES = {
    "README.md": "# Shop\n\nPrices, carts and receipts.\n",
    "pyproject.toml": '[project]\nname = "shop"\n',
    "src/shop/cart.py": (
        "class Cart:\n    def __init__(self):\n        self.lines = []\n\n"
        "    def add(self, name, price, count=1):\n"
        "        self.lines.append((name, price, count))\n"
        "\n    def total(self):\n        return sum(p * c for _, p, c in self.lines)\n"
    ),
    "src/shop/prices.py": (
        "TAX = 0.19\n\n\ndef with_tax(price):\n    return price * (1 + TAX)\n\n\n"
        "def shown(price):\n    return f'{price:.2f}'\n"
    ),
    "src/shop/receipt.py": (
        "from shop.cart import Cart\nfrom shop.prices import shown, with_tax\n\n\n"
        "def receipt(cart: Cart) -> str:\n    return shown(with_tax(cart.total()))\n"
    ),
    "tests/test_cart.py": (
        "from shop.cart import Cart\n\n\ndef test_total():\n    cart = Cart()\n"
        "    cart.add('tea', 3)\n    assert cart.total() == 3\n"
    ),
}


def tell(home: Path, folder: Path) -> Path:
    """Make the project in a new folder, with its checkpoints below ``home``; return it."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    with Checkpoints.open(home) as checkpoints:
        _afternoon(checkpoints.project(folder), folder)
    _move_time(home)
    return folder.resolve()


def _afternoon(project: Project, folder: Path) -> None:
    src, tests = folder / "src/shop", folder / "tests"
    assert isinstance(project.take("before the agent comes", label="good-start"), Taken)
    _replace(folder / "README.md", "carts", "baskets")

    with _turn(project, 1, "Members get 10 % off; add a test, too"):
        (src / "members.py").write_text("DISCOUNT = 0.1\n\n\ndef off(price):\n    return price\n")
        _tell(project, "src/shop/members.py", 1, "Write")
        _replace(src / "cart.py", "self.lines = []", "self.lines = []\n        self.member = False")
        _tell(project, "src/shop/cart.py", 1, "Edit")
        (tests / "test_members.py").write_text("def test_off():\n    assert True\n")
        _tell(project, "tests/test_members.py", 1, "Write")

    _replace(folder / "README.md", "receipts.\n", "receipts.\n\nMembers get 10 % off.\n")

    with _turn(project, 2, "The total is wrong by a cent: round as the tax office does"):
        _replace(
            src / "prices.py", "return price * (1 + TAX)", "return round(price * (1 + TAX), 2)"
        )
        _tell(project, "src/shop/prices.py", 2, "Edit")
        (folder / "debug.txt").write_text("3.5699999\n")  # by the shell

    with _turn(project, 3, "Rename Cart to Basket everywhere"):
        for file in (src / "cart.py", src / "receipt.py", tests / "test_cart.py"):
            file.write_text(file.read_text().replace("Cart", "Basket").replace("cart", "basket"))
        (src / "cart.py").rename(src / "basket.py")
        (tests / "test_cart.py").rename(tests / "test_basket.py")
        (folder / "debug.txt").unlink()

    project.restore(project.list()[0])  # the last turn is taken back …
    project.undo()  # … and was better than it looked

    with _turn(project, 4, "Print the receipt in two columns"):
        (src / "receipt.py").write_text(
            "from shop.basket import Basket\nfrom shop.prices import shown, with_tax\n\n"
            "WIDTH = 32\n\n\ndef receipt(basket: Basket) -> str:\n    lines = []\n"
            "    for name, price, count in basket.lines:\n"
            "        left, right = f'{count} x {name}', shown(with_tax(price * count))\n"
            "        lines.append(left.ljust(WIDTH - len(right)) + right)\n"
            "    return '\\n'.join(lines)\n"
        )
        _tell(project, "src/shop/receipt.py", 4, "Write")
        (src / "members.py").unlink()
        (folder / "out.txt").write_text("2 x tea                     7.14\n")

    _replace(folder / "README.md", "# Shop", "# The shop")


@contextmanager
def _turn(project: Project, turn: int, title: str) -> Iterator[None]:
    outcome = project.take(
        f"before {turn}",
        kind=Kind.AUTO,
        session_id=SESSION,
        turn=turn,
        title=title,
    )
    assert not hasattr(outcome, "error"), outcome
    yield
    project.end_turn(session_id=SESSION)


def _tell(project: Project, path: str, turn: int, tool: str) -> None:
    project.record_agent_write(path, session_id=SESSION, turn=turn, tool=tool)


def _replace(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def _move_time(home: Path) -> None:
    """Let the checkpoints be of the last hours: each is as many minutes older as it is steps from
    the newest, squared."""
    with closing(sqlite3.connect(home / "checkpoints/catalog.db")) as connection, connection:
        rows = [row for (row,) in connection.execute("SELECT id FROM checkpoints ORDER BY id DESC")]
        for step, row in enumerate(rows, 1):
            connection.execute(
                "UPDATE checkpoints SET created_at ="
                " strftime('%Y-%m-%d %H:%M:%f000', created_at, ?) WHERE id = ?",
                (f"-{4 * step * step} minutes", row),
            )
