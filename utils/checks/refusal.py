"""拒绝：不合规则就抛出 ValueError，消息三行：规则、收到了什么、怎么办。"""


def refusal(rule, received, way_out):
    """一个 ValueError，消息是三行：规则、收到了什么、怎么办。"""
    return ValueError(f"{rule}。\n收到：{received}。\n怎么办：{way_out}。")


def require(condition, rule, received, way_out):
    """condition 不成立就抛出 ValueError，消息同 `refusal`。"""
    if not condition:
        raise refusal(rule, received, way_out)


def shown(value):
    """报错里的 value：太长就只写开头；连 repr 也写不出的（如几千位的整数）只写类型。"""
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 200 else f"{text[:200]}…"
