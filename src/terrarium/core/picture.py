"""Pictures from our SVG: PNG through resvg, animated GIF through Pillow.

Both libraries are loaded only when a picture is asked for. Text drawn as shapes (see
`terrarium.core.lettering`) looks the same on every machine; `<text>` uses whatever fonts are installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING

from terrarium.errors import TerrariumError

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["gif", "png"]

MAX_WIDTH = 8192
_PALETTE_SAMPLES = 8


def png(svg: str, width: int | None = None) -> bytes:
    """The SVG as a PNG, `width` pixels wide or as large as the SVG says."""
    import resvg_py

    if width is not None and not 1 <= width <= MAX_WIDTH:
        message = f"width {width}: a picture is 1 to {MAX_WIDTH} pixels wide"
        raise TerrariumError("picture-width", message)
    try:
        # Scanning the system's fonts costs more than the drawing, and most pictures have no text.
        data = resvg_py.svg_to_bytes(
            svg_string=svg, width=width, skip_system_fonts="<text" not in svg
        )
    except ValueError as error:
        raise TerrariumError("picture-svg", f"the SVG can't be drawn: {error}") from None
    return bytes(data)


def gif(
    svgs: Iterable[str],
    durations: int | Sequence[int] = 700,
    width: int = 640,
    background: str | None = None,
    hold: int | None = None,
) -> bytes:
    """The SVGs as the frames of an animated GIF that repeats, each shown for its milliseconds.

    What all frames have behind them may be given once as `background`: it is drawn once, and the
    frames, drawn over it, only need to hold what changes. `hold` is how long the last frame stays. Each SVG is
    drawn as it is taken, so that whoever supplies them can tell how far the work is.
    """
    from PIL.Image import Dither

    layers = [png(svg, width) for svg in svgs]
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
    # One palette without dithering for all frames: still parts stay still, and only changes are stored.
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
    """The 256 colours that suit all frames best, judged by frames spread over the animation."""
    from PIL import Image

    step = max(1, len(layers) // _PALETTE_SAMPLES)
    chosen = chain(layers[::step][:_PALETTE_SAMPLES], layers[-1:])
    samples = [_over(base, layer) for layer in chosen]
    width, height = samples[0].size
    strip = Image.new("RGB", (width, height * len(samples)))
    for i, sample in enumerate(samples):
        strip.paste(sample, (0, i * height))
    return strip.quantize(256)
