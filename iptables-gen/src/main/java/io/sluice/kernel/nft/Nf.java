package io.sluice.kernel.nft;

/** Numbers of {@code include/uapi/linux/netfilter/nf_tables.h} and {@code nfnetlink.h}, Linux 6.12, under the names they have there. */
final class Nf {
    static final int BATCH_BEGIN = 0x10;
    static final int BATCH_END = 0x11;
    static final int SUBSYSTEM = 10;

    static final int NEWTABLE = message(0);
    static final int DELTABLE = message(2);
    static final int NEWCHAIN = message(3);
    static final int NEWRULE = message(6);
    static final int GETRULE = message(7);
    static final int DELRULE = message(8);
    static final int NEWSET = message(9);
    static final int GETSET = message(10);
    static final int DELSET = message(11);
    static final int NEWSETELEM = message(12);
    static final int GETSETELEM = message(13);
    static final int DELSETELEM = message(14);
    static final int NEWGEN = message(15);
    static final int GETGEN = message(16);

    static final int TABLE_NAME = 1;
    static final int TABLE_USERDATA = 6;
    static final int CHAIN_TABLE = 1;
    static final int CHAIN_NAME = 3;
    static final int CHAIN_HOOK = 4;
    static final int CHAIN_POLICY = 5;
    static final int CHAIN_TYPE = 7;
    static final int HOOK_HOOKNUM = 1;
    static final int HOOK_PRIORITY = 2;
    static final int RULE_TABLE = 1;
    static final int RULE_CHAIN = 2;
    static final int RULE_EXPRESSIONS = 4;
    static final int LIST_ELEM = 1;
    static final int EXPR_NAME = 1;
    static final int EXPR_DATA = 2;

    static final int SET_TABLE = 1;
    static final int SET_NAME = 2;
    static final int SET_FLAGS = 3;
    static final int SET_KEY_TYPE = 4;
    static final int SET_KEY_LEN = 5;
    static final int SET_DATA_TYPE = 6;
    static final int SET_DATA_LEN = 7;
    static final int SET_DESC = 9;
    static final int SET_ID = 10;
    static final int SET_TIMEOUT = 11;
    static final int DESC_SIZE = 1;
    static final int DESC_CONCAT = 2;
    static final int FIELD_LEN = 1;

    static final int FLAG_INTERVAL = 4;
    static final int FLAG_MAP = 8;
    static final int FLAG_TIMEOUT = 0x10;
    static final int FLAG_EVAL = 0x20;
    static final int FLAG_CONCAT = 0x80;

    static final int ELEMS_TABLE = 1;
    static final int ELEMS_SET = 2;
    static final int ELEMS_ELEMENTS = 3;
    static final int ELEM_KEY = 1;
    static final int ELEM_DATA = 2;
    static final int ELEM_USERDATA = 6;
    static final int ELEM_KEY_END = 10;
    static final int DATA_VALUE = 1;
    static final int DATA_VERDICT = 2;
    static final int VERDICT_CODE = 1;
    static final int VERDICT_CHAIN = 2;
    static final int GEN_ID = 1;

    static final int DROP = 0;
    static final int ACCEPT = 1;
    static final int JUMP = -3;
    static final int GOTO = -4;

    private Nf() {}

    private static int message(int number) {
        return SUBSYSTEM << 8 | number;
    }
}
