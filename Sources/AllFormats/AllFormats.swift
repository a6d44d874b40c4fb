// One import for users who want every format: what WebImage gives, and the coders beyond its default set.
@_exported public import WebImage
@_exported public import WebImageBMP
@_exported public import WebImageGdkPixbuf
@_exported public import WebImageHEIF
@_exported public import WebImageJXL
@_exported public import WebImageSVG
@_exported public import WebImageTIFF
