"""ms-swift: ``--external_plugins FILE --reward_funcs evalplus_lite``; FILE imports this module."""

from swift.rewards import ORM, orms

from evalplus_lite.serving.adapters.trainers import trl_reward


class CodeORM(ORM):
    """Returns the rewards of ``trl_reward``; ms-swift skips None, as TRL does."""

    __call__ = staticmethod(trl_reward)


orms["evalplus_lite"] = CodeORM
