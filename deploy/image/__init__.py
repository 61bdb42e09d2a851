"""What is in the image: an interpreter, what it links, the packages of `requirements/run.lock`, fastload, and no more.

`python -m deploy.image FOLDER` makes that as a folder. The Dockerfile runs it and takes the folder as the whole image;
the tests run it and start fastload in the folder, with nothing else around it. It needs what every Python image has:
the standard library, pip, ldd and ldconfig.
"""
