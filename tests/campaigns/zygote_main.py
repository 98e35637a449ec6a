"""What a zygote runs: it is started as a file, so that its own folder is not on the path."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    sys.path.pop(0)
    from campaigns.zygote import serve

    serve()
