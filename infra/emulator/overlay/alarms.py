"""Alarms over an expression are accepted, instead of failing the stack: the first metric of the expression stands in.

So such an alarm is there, has its actions, and can be set off by SetAlarmState. What its expression says is not evaluated.
"""

from ministack.services.cloudformation import provisioners


def apply():
    record = provisioners._cw_metric_alarm_record

    def recorded(name, properties):
        return record(name, _with_plain_metric(properties))

    provisioners._cw_metric_alarm_record = recorded


def _with_plain_metric(properties):
    plain = next((part["MetricStat"] for part in properties.get("Metrics") or [] if part.get("MetricStat")), None)
    if plain is None:
        return properties
    rest = {key: value for key, value in properties.items() if key != "Metrics"}
    metric = plain["Metric"]
    return {
        **rest,
        "Namespace": metric["Namespace"],
        "MetricName": metric["MetricName"],
        "Dimensions": metric.get("Dimensions", []),
        "Statistic": plain["Stat"],
        "Period": plain["Period"],
    }
