"""Makes the pictures of the pixels benchmark, the same each time: bench_pixels_inputs.py FOLDER"""

import os
import sys

import numpy
from PIL import Image

from bench_pictures import photograph, with_alpha


def animations(folder):
    scene = photograph(600, 340, 4)
    frames = [scene.crop((2 * i, i, 480 + 2 * i, 270 + i)) for i in range(60)]
    full = [frame.quantize(128) for frame in frames]
    full[0].save(f"{folder}/full.gif", save_all=True, append_images=full[1:], duration=50, loop=0)
    frames[0].save(f"{folder}/60.webp", save_all=True, append_images=frames[1:], duration=50, loop=0, quality=75)
    # A patch moves over a picture that stays: each frame holds only what changed.
    still, patch = frames[0], photograph(96, 64, 5)
    partial = []
    for index in range(60):
        frame = still.copy()
        frame.paste(patch, (6 * index, 3 * index))
        partial.append(frame.quantize(128, palette=full[0], dither=Image.Dither.NONE))
    partial[0].save(f"{folder}/partial.gif", save_all=True, append_images=partial[1:], duration=50, loop=0)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    large = photograph(4000, 3000, 1)
    large.save(f"{folder}/12mp.jpg", quality=85)
    large.save(f"{folder}/12mp_progressive.jpg", quality=85, progressive=True)
    large.save(f"{folder}/12mp.png", compress_level=1)
    square = photograph(1080, 1080, 6)
    square.save(f"{folder}/1080.jpg", quality=85)
    square.save(f"{folder}/1080.png", compress_level=1)
    middle = photograph(1632, 1224, 2)
    middle.save(f"{folder}/2mp.webp", quality=80)
    middle.save(f"{folder}/2mp.avif", quality=60)
    clear = with_alpha(middle.copy())
    clear.save(f"{folder}/2mp.png")
    clear.save(f"{folder}/2mp_lossless.webp", lossless=True)
    tile = numpy.kron(numpy.asarray(photograph(1000, 1000, 7)), numpy.ones((10, 10, 1), numpy.uint8))
    Image.fromarray(tile).save(f"{folder}/100mp.png", compress_level=1)
    animations(folder)


if __name__ == "__main__":
    main(sys.argv[1])
