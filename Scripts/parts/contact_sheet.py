"""Puts all pictures of a folder on one sheet: contact_sheet.py FOLDER SHEET.png"""

import os
import sys

from PIL import Image, ImageDraw, ImageFont

CELL = 232
MARGIN = 12
LABEL = 20
COLUMNS = 6
SQUARE = 12
PAPER = (250, 250, 250)
INK = (40, 40, 40)


def label_font():
    """Pillow brings an outline font from 10.1 on, and before that a small one of pixels."""
    try:
        return ImageFont.load_default(13)
    except TypeError:
        return ImageFont.load_default()


def checkerboard(width, height):
    """Shows transparency for what it is."""
    board = Image.new("RGB", (width, height), (225, 225, 225))
    draw = ImageDraw.Draw(board)
    for top in range(0, height, SQUARE):
        for left in range(top // SQUARE % 2 * SQUARE, width, 2 * SQUARE):
            draw.rectangle((left, top, left + SQUARE - 1, top + SQUARE - 1), fill=(195, 195, 195))
    return board


def paste_cell(sheet, left, top, path):
    """The picture in the middle of its square, its name close below it."""
    picture = Image.open(path).convert("RGBA")
    picture.thumbnail((CELL, CELL))
    ground = checkerboard(*picture.size)
    ground.paste(picture, (0, 0), picture)
    across, down = left + (CELL - picture.width) // 2, top + (CELL - picture.height) // 2
    sheet.paste(ground, (across, down))
    font = label_font()
    label = os.path.splitext(os.path.basename(path))[0]
    width = font.getbbox(label)[2]
    position = (left + (CELL - width) // 2, down + picture.height + 5)
    ImageDraw.Draw(sheet).text(position, label, fill=INK, font=font)


def make_sheet(folder, path):
    names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    if not names:
        sys.exit(f"contact sheet: no pictures in {folder}")
    rows = -(-len(names) // COLUMNS)
    size = (MARGIN + COLUMNS * (CELL + MARGIN), MARGIN + rows * (CELL + LABEL + MARGIN))
    sheet = Image.new("RGB", size, PAPER)
    for index, name in enumerate(names):
        left = MARGIN + index % COLUMNS * (CELL + MARGIN)
        top = MARGIN + index // COLUMNS * (CELL + LABEL + MARGIN)
        paste_cell(sheet, left, top, os.path.join(folder, name))
    sheet.save(path)
    print(f"contact sheet: {len(names)} pictures on {path}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    make_sheet(sys.argv[1], sys.argv[2])
