"""How good a thumbnail is: against the whole picture, filtered with Lanczos in 64-bit floats."""

import functools

import numpy
from PIL import Image


def lanczos(source, target):
    """The matrix that takes a line of `source` samples to one of `target`."""
    scale = source / target
    stretch = max(scale, 1)
    centres = (numpy.arange(target) + 0.5) * scale
    distances = (numpy.arange(source) + 0.5 - centres[:, None]) / stretch
    weights = numpy.where(abs(distances) < 3, numpy.sinc(distances) * numpy.sinc(distances / 3), 0)
    return weights / weights.sum(axis=1, keepdims=True)


@functools.cache
def reference(file, width, height):
    """Premultiplied RGBA in floats of 0 to 255, of a full decode by Pillow."""
    source = numpy.asarray(Image.open(file).convert("RGBA"))
    across, down = lanczos(source.shape[1], width), lanczos(source.shape[0], height)
    alpha = source[:, :, 3].astype(numpy.float64) / 255
    planes = []
    for channel in range(4):
        plane = source[:, :, channel].astype(numpy.float64)
        if channel < 3:
            plane *= alpha
        planes.append(down @ plane @ across.T)
    return numpy.stack(planes, axis=-1).clip(0, 255)


def psnr(file, out, size, is_premultiplied):
    """Decibels between the bare RGBA in `out` and the reference of that size."""
    width, height = size
    picture = numpy.fromfile(out, numpy.uint8).reshape(height, width, 4).astype(numpy.float64)
    if not is_premultiplied:
        picture[:, :, :3] *= picture[:, :, 3:] / 255
    error = ((picture - reference(file, width, height)) ** 2).mean()
    return 10 * numpy.log10(255 * 255 / max(error, 1e-9))
