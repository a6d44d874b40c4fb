"""Makes the pictures of the decode benchmark, much like photographs, the same each time: bench_pictures.py FOLDER"""

import os
import sys

import numpy
from PIL import Image, ImageFilter


def photograph(width, height, seed):
    """Light that changes slowly, edges, and the noise of a camera."""
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[0:height, 0:width].astype(numpy.float32)
    channels = []
    for channel in range(3):
        waves = sum(
            numpy.sin(x * a + y * b + phase)
            for a, b, phase in random.uniform(-0.02, 0.02, (4, 3)) + [[0, 0, channel]]
        )
        channels.append(128 + 25 * waves)
    picture = numpy.stack(channels, axis=-1)
    for _ in range(60):
        left, top = random.integers(0, width), random.integers(0, height)
        right, bottom = left + random.integers(10, width // 4), top + random.integers(10, height // 4)
        picture[top:bottom, left:right] += random.uniform(-50, 50, 3)
    small = random.normal(0, 12, (height // 2 + 1, width // 2 + 1, 3)).astype(numpy.float32)
    picture += numpy.kron(small, numpy.ones((2, 2, 1), numpy.float32))[:height, :width]
    return Image.fromarray(picture.clip(0, 255).astype(numpy.uint8)).filter(ImageFilter.GaussianBlur(0.7))


def with_alpha(picture):
    width, height = picture.size
    ramp = numpy.tile(numpy.linspace(0, 510, width).clip(0, 255).astype(numpy.uint8), (height, 1))
    picture.putalpha(Image.fromarray(ramp))
    return picture


def main(folder):
    os.makedirs(folder, exist_ok=True)
    photograph(4000, 3000, 1).save(f"{folder}/12mp.jpg", quality=90)
    with_alpha(photograph(1600, 1250, 2)).save(f"{folder}/2mp.png")
    photograph(1600, 1250, 3).save(f"{folder}/2mp.webp", quality=80)
    for size in (16, 64, 200):
        small = photograph(200, 200, 5).crop((0, 0, size, size))
        for ending, options in (("gif", {}), ("webp", {"quality": 80}), ("jpg", {"quality": 85})):
            small.save(f"{folder}/{size}.{ending}", **options)
        small.save(f"{folder}/{size}_progressive.jpg", quality=85, progressive=True)
        with_alpha(small).save(f"{folder}/{size}.png")
    scene = photograph(600, 340, 4)
    frames = [scene.crop((2 * i, i, 480 + 2 * i, 270 + i)).quantize(128) for i in range(60)]
    frames[0].save(f"{folder}/60frames.gif", save_all=True, append_images=frames[1:], duration=50, loop=0)


if __name__ == "__main__":
    main(sys.argv[1])
