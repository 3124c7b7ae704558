"""mSMS's rows. By row: a kind, and a function from the programs to our values by claim."""


def tested(claim, target):
    return lambda programs: {claim: programs.passes(target)}


ROWS = {
    "sms_*": ("tested", tested("are there and tested", "//dsm/tests:sms_test")),
    "MpC": ("tested", tested("figure 2 (b) compiles and runs", "//dsm/tests:mpc_test")),
    "sections 2.5 and 2.6": ("tested", tested("are there and tested", "//dsm/tests:page_model_test")),
}
