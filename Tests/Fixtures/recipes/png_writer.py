"""Writes the PNG files that Pillow cannot: 16 bits a channel in colour, and interlaced."""

import struct
import zlib

import numpy

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOUR_TYPE_OF_CHANNELS = {1: 0, 2: 4, 3: 2, 4: 6}
FILTER_UP = 2

# Adam7: first column, first row, step across, step down.
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def filtered_rows(pixels):
    """Every row as its difference from the row above, each after its filter byte."""
    height = pixels.shape[0]
    rows = pixels.astype(pixels.dtype.newbyteorder(">")).reshape(height, -1).view(numpy.uint8)
    above = numpy.vstack([numpy.zeros_like(rows[:1]), rows[:-1]])
    marks = numpy.full((height, 1), FILTER_UP, dtype=numpy.uint8)
    return numpy.hstack([marks, rows - above]).tobytes()


def write_png(path, pixels, interlaced=False):
    """`pixels` is height x width x channels, in uint8 or uint16."""
    height, width, channels = pixels.shape
    depth = 8 * pixels.dtype.itemsize
    if interlaced:
        parts = [pixels[row::down, column::across] for column, row, across, down in PASSES]
        data = b"".join(filtered_rows(numpy.ascontiguousarray(part)) for part in parts if part.size)
    else:
        data = filtered_rows(pixels)
    header = struct.pack(">IIBBBBB", width, height, depth, COLOUR_TYPE_OF_CHANNELS[channels], 0, 0, int(interlaced))
    with open(path, "wb") as file:
        file.write(SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(data, 6)) + chunk(b"IEND", b""))
