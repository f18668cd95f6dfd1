"""Pictures from our SVG: PNG through resvg, animated GIF through Pillow.

Both libraries are imported on first use. Text drawn as shapes (see
`terrarium.core.lettering`) looks the same on every machine; `<text>` uses whatever fonts are installed.

resvg holds the GIL while it draws, up to half a second for a large picture. A program with other work to do
meanwhile, such as a server, draws inside `with apart():`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager, suppress
from io import BytesIO
from itertools import chain
from os import cpu_count
from typing import TYPE_CHECKING

from terrarium.errors import TerrariumError

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

    from PIL.Image import Image

__all__ = ["apart", "gif", "png"]

MAX_WIDTH = 8192
_PALETTE_SAMPLES = 8


_pool: ProcessPoolExecutor | None = None


@contextmanager
def apart(processes: int | None = None) -> Iterator[None]:
    """A context in which other processes draw the pictures, by default one for each core."""
    # imported here, because a browser has no subprocesses
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    global _pool
    before = _pool
    # Spawned, not forked: the program may hold threads, sockets and database connections.
    with ProcessPoolExecutor(processes or cpu_count() or 1, get_context("spawn")) as _pool:
        try:
            yield
        finally:
            _pool = before


def png(svg: str, width: int | None = None) -> bytes:
    """The SVG as a PNG, `width` pixels wide or as large as the SVG says."""
    _check_width(width)
    return _finished(_begun(svg, width), svg, width)


def _check_width(width: int | None) -> None:
    if width is not None and not 1 <= width <= MAX_WIDTH:
        message = f"width {width}: a picture is 1 to {MAX_WIDTH} pixels wide"
        raise TerrariumError("picture-width", message)


def _png(svg: str, width: int | None) -> bytes:
    import resvg_py

    try:
        # Scanning the system's fonts costs more than the drawing, and most pictures have no text.
        data = resvg_py.svg_to_bytes(
            svg_string=svg, width=width, skip_system_fonts="<text" not in svg
        )
    except ValueError as error:
        raise TerrariumError("picture-svg", f"the SVG can't be drawn: {error}") from None
    return bytes(data)


def _pngs(svgs: Iterable[str], width: int) -> Iterator[bytes]:
    """The PNGs in order; inside `apart` several are drawn at a time."""
    pending: deque[tuple[Future[bytes] | None, str]] = deque()
    ahead = 2 * (cpu_count() or 1) if _pool else 0
    for svg in svgs:
        pending.append((_begun(svg, width), svg))
        if len(pending) > ahead:
            yield _finished(*pending.popleft(), width)
    while pending:
        yield _finished(*pending.popleft(), width)


def _begun(svg: str, width: int | None) -> Future[bytes] | None:
    try:
        return _pool.submit(_png, svg, width) if _pool else None
    except BrokenExecutor:
        return None


def _finished(begun: Future[bytes] | None, svg: str, width: int | None) -> bytes:
    # If the other process died, for example for lack of memory, draw the picture here.
    if begun is not None:
        with suppress(BrokenExecutor):
            return begun.result()
    return _png(svg, width)


def gif(
    svgs: Iterable[str],
    durations: int | Sequence[int] = 700,
    width: int = 640,
    background: str | None = None,
    hold: int | None = None,
) -> bytes:
    """The SVGs as the frames of an animated GIF that repeats; `durations` are in milliseconds.

    `background` is drawn once behind all frames, so that frames contain only what changes. `hold` is the duration of
    the last frame. The SVGs are consumed one by one as they are drawn, so that a generator can report progress.
    """
    from PIL.Image import Dither

    _check_width(width)
    layers = list(_pngs(svgs, width))
    if not layers:
        raise TerrariumError("picture-frames", "no frames; an animation has at least one")
    times = [durations] * len(layers) if isinstance(durations, int) else list(durations)
    if len(times) != len(layers):
        message = (
            f"{len(times)} durations for {len(layers)} frames; give one for each, or one for all"
        )
        raise TerrariumError("picture-durations", message)
    if hold is not None:
        times[-1] = hold
    base = _image(png(background, width)) if background is not None else None
    palette = _common_palette(base, layers)
    # One palette without dithering for all frames: unchanged parts get the same pixels, so the file stores only changes.
    drawn = (_over(base, layer).quantize(palette=palette, dither=Dither.NONE) for layer in layers)
    file = BytesIO()
    next(drawn).save(
        file, "GIF", save_all=True, append_images=drawn, duration=times, loop=0, disposal=1
    )
    return file.getvalue()


def _image(data: bytes) -> Image:
    from PIL import Image

    return Image.open(BytesIO(data)).convert("RGBA")


def _over(base: Image | None, layer: bytes) -> Image:
    from PIL import Image

    image = _image(layer)
    if base is not None:
        image = Image.alpha_composite(base, image)
    return image.convert("RGB")


def _common_palette(base: Image | None, layers: list[bytes]) -> Image:
    """The 256 colours that suit all frames best, chosen from a sample of frames."""
    from PIL import Image

    step = max(1, len(layers) // _PALETTE_SAMPLES)
    chosen = chain(layers[::step][:_PALETTE_SAMPLES], layers[-1:])
    samples = [_over(base, layer) for layer in chosen]
    width, height = samples[0].size
    strip = Image.new("RGB", (width, height * len(samples)))
    for i, sample in enumerate(samples):
        strip.paste(sample, (0, i * height))
    return strip.quantize(256)
