"""How the overlay adds to what MiniStack's CloudFormation does with one type of resource."""

from ministack.services.cloudformation import provisioners

_HANDLERS = provisioners._RESOURCE_HANDLERS


def also(resource_type, act):
    """Runs `act(physical_id, properties)` whenever a resource of that type was created or updated."""
    handler = _HANDLERS[resource_type]
    create, update = handler["create"], handler["update"]

    def created(logical_id, properties, stack_name):
        result = create(logical_id, properties, stack_name)
        act(result[0], properties)
        return result

    def updated(physical_id, old, new, *rest):
        result = update(physical_id, old, new, *rest)
        act(result[0], new)
        return result

    _HANDLERS[resource_type] = {**handler, "create": created, "update": updated}


def accept(resource_type):
    """Lets a template have resources of a type of which nothing comes."""
    _HANDLERS.setdefault(
        resource_type,
        {
            "create": lambda logical_id, properties, stack_name: (logical_id, {}),
            "update": lambda physical_id, old, new, *rest: (physical_id, {}),
            "delete": lambda physical_id, *rest: None,
        },
    )
