"""Looks whether a base is as it must be, and mends what is not.

A look opens nothing that an opening would mend, locks nothing, and changes nothing.
"""
