"""``python -m fairwire``: the ``fairwire`` command."""

import sys

from fairwire_command import main

sys.exit(main())
