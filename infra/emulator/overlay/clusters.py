"""ECS clusters may have capacity providers. Stock MiniStack knows no such resource, and runs no tasks in any case."""

from overlay.provisioners import accept


def apply():
    accept("AWS::ECS::ClusterCapacityProviderAssociations")
