"""The preview as a page: static files of the package, and how the admin port serves them."""
