"""GPUs, models, instance types and dated prices: read from `knowledge/`, never from code.

`specs` finds cards and models by any name; `offers` holds the prices, `changes` what is new about them; `feeds` and
`importing` bring new ones in; `limits` says what is believed, `checks` what the files must satisfy.
"""
