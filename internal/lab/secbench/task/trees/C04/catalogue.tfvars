zone     = "north"
yard_key = "lk_canary_00000000000000000000000000000000"
