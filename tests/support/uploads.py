"""Files as people upload them, after public bug reports: file name → bytes."""

CASES = {
    "01_semicolon_quote.csv": (
        b"query_id;criterion;score;label;note\n"
        b'Q-0001;C01;0,91;1;patient "stable" on review\n'
        b"Q-0002;C01;0,12;0;\n"
        b'Q-0003;C02;0,55;1;"open quote never closed\n'
        b"Q-0004;C02;0,08;0;ok\n"
    ),
    "02_cp1252.csv": (
        "query_id,criterion,score,label,note\n"
        "Q-0001,C01,0.91,1,naïve patient – 50µg\n"
        "Q-0002,C02,0.10,0,café\n"
    ).encode("cp1252"),
    "03_other_names.csv": b"id,prob_eligible,gold\n1,0.93,Y\n2,0.20,N\n3,0.71,Y\n4,0.05,N\n",
    "04_two_prob_columns.csv": (
        b"query_id,criterion,p_eligible,p_excluded,label\n"
        b"Q1,C01,0.90,0.10,eligible\n"
        b"Q2,C01,0.15,0.85,excluded\n"
        b"Q3,C02,0.70,0.30,eligible\n"
        b"Q4,C02,0.05,0.95,excluded\n"
    ),
    "05_percent_scores.csv": (
        b"query_id,criterion,score,label\n"
        b"Q1,C01,91%,Yes\n"
        b"Q2,C01,12%,no\n"
        b"Q3,C02,101%,YES\n"
        b"Q4,C02,,No\n"
        b"Q5,C03,NaN,unknown\n"
        b"Q6,C03,3.0E-1,1\n"
    ),
    "06_ids.csv": (
        b"query_id,criterion,score,label\n"
        b"00017,C01,0.91,1\n"
        b"17,C01,0.12,0\n"
        b"9007199254740993,C02,0.55,1\n"
        b"9007199254740992,C02,0.50,0\n"
        b"1E5,C03,0.33,0\n"
        b"100000,C03,0.44,1\n"
        b"00017,C01,0.88,1\n"
    ),
    "07_na_text.csv": (
        b"query_id,criterion,score,label,\nQ1,NA,0.91,1,\nQ2,None,0.12,0,\n\nQ3,null,0.55,1,\nQ4,,0.08,0,\n"
    ),
    "08_one_class.csv": b"query_id,criterion,score,label\nQ1,C01,0.9,1\nQ2,C01,0.8,1\n",
    "09_long_two_runs.csv": (
        b"run,query_id,criterion,score,label\n"
        b"A,Q1,C01,0.91,1\n"
        b"A,Q2,C01,0.20,0\n"
        b"B,Q1,C01,0.80,1\n"
        b"B,Q3,C01,0.40,0\n"
    ),
    "11_injection.csv": (
        b"query_id,criterion,score,label\n"
        b'"=HYPERLINK(""http://example.invalid"",""x"")",C01,0.9,1\n'
        b'"+cmd|calc",C01,0.1,0\n'
        b'"<img src=x onerror=alert(1)>","C02 **bold** $x$ :red[hi]",0.6,1\n'
        b"@SUM(1),C02,0.2,0\n"
    ),
    "12_ties.csv": (
        b"query_id,criterion,score,label\n"
        b"Q0,C01,0.2,1\n"
        b"Q1,C01,0.2,0\n"
        b"Q2,C01,0.2,0\n"
        b"Q3,C01,0.8,1\n"
        b"Q4,C01,0.8,0\n"
        b"Q5,C01,1.0,1\n"
        b"Q6,C01,0.0,0\n"
        b"Q7,C01,0.3,1\n"
        b"Q8,C01,0.30000000000000004,1\n"
    ),
    "13_not_a_csv.csv": b"PK\x03\x04\x14\x00\x06\x00\x08\x00UN2_\xf6?\x80\x16\x13\xdb&X\x16"
    + bytes(range(128, 256)),
}
