"""The version of this package: the gateway's."""

__version__ = "4.0.0"
