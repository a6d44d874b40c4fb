// A program, without an interface; the package manager wants a folder for one.
