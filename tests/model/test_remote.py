"""What may be shown of the URL of a remote, and which remote it is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_checkpoints.model import redacted_url, url_hash
from support import examples

_TYPED = st.text(st.sampled_from("pA9%/:@?#[].-_~"), max_size=8).map(lambda part: f"s3{part}cr3t")


@settings(max_examples=examples(200), deadline=None)
@given(
    _TYPED,
    st.sampled_from(["https", "HTTP", "ssh", "git+ssh", "s3", "gcrypt::https", "a::b::rsync"]),
    st.sampled_from(["example.org", "example.org:8443", "[::1]", "[::1]:22"]),
    st.sampled_from(["", "/", "/org/saves.git", "/~/saves", "/org/a@b.git"]),
)
def test_no_password_is_shown_whatever_it_is_made_of(
    password: str, scheme: str, host: str, path: str
) -> None:
    for url in (
        f"{scheme}://user:{password}@{host}{path}",
        f"{scheme}://{host}{path}?token={password.replace('@', '')}",
        f"{scheme}://{host}{path}#{password.replace('@', '')}",
    ):
        assert "cr3t" not in redacted_url(url)
        assert redacted_url(redacted_url(url)) == redacted_url(url)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://github.com/org/saves.git", "https://github.com/org/saves.git"),
        ("https://ghp_token@github.com/org/saves.git", "https://github.com/org/saves.git"),
        ("https://me:pa/ss@example.org/a.git", "https://example.org/a.git"),
        ("https://example.org/@scope/a.git", "https://example.org/@scope/a.git"),
        ("https://example.org:8443/a@b.git", "https://example.org:8443/a@b.git"),
        ("ssh://git@example.org:2222/~/a.git", "ssh://git@example.org:2222/~/a.git"),
        ("ssh://git:secret@[::1]:22/a.git", "ssh://git@[::1]:22/a.git"),
        ("git@example.org:org/a.git", "git@example.org:org/a.git"),
        ("me:secret@example.org:org/a.git", "example.org:org/a.git"),
        ("gcrypt::git@example.org:a.git", "gcrypt::git@example.org:a.git"),
        ("gcrypt::https://me:secret@example.org/a", "gcrypt::https://example.org/a"),
        ("s3::https://KEY:SECRET@bucket/a", "s3::https://bucket/a"),
        ("file:///srv/a@b?c.git", "file:///srv/a@b?c.git"),
        ("/srv/a:b@c.git", "/srv/a:b@c.git"),
        ("./saves.git", "./saves.git"),
        ("  /srv/saves.git\n", "/srv/saves.git"),
        ("/srv/caf\udce9.git", "/srv/caf\udce9.git"),
        ("", ""),
    ],
)
def test_what_is_shown_of_a_url(url: str, shown: str) -> None:
    assert redacted_url(url) == shown
    assert url_hash(url) == url_hash(shown)
    assert len(url_hash(url)) == 16


def test_other_places_are_other_remotes() -> None:
    """The user of ssh tells which home is meant; that of https is who asks."""
    urls = [
        "/srv/a.git",
        "/srv/b.git",
        "https://example.org/a.git",
        "https://example.org:8443/a.git",
        "ssh://ann@example.org/~/a.git",
        "ssh://bob@example.org/~/a.git",
        "ann@example.org:a.git",
        "bob@example.org:a.git",
    ]
    assert len({url_hash(url) for url in urls}) == len(urls)
