"""The rule in R and Java, run by `make rules` where both are installed: `make test` does without them."""

import subprocess

import pytest

from evalcore.operating_point.deploying import rule_file
from tests.operating_point.deploying.running import disagreements, points, put, scores_for, self_test, taken

POINTS = points()
ALL = 1_000_000

R = """
source("rule.R")
numbers <- readBin("numbers", "double", 1e8, size = 8, endian = "little")
singles <- readBin("singles", "double", 1e8, size = 4, endian = "little")
texts <- vapply(strsplit(readLines("texts.hex"), "", fixed = TRUE), function(one) {
  if (length(one) == 0) return("")
  pairs <- paste0(one[c(TRUE, FALSE)], one[c(FALSE, TRUE)])
  text <- rawToChar(as.raw(strtoi(pairs, 16L)))
  Encoding(text) <- "UTF-8"
  text
}, "")
told <- c(paste(decide(numbers), collapse = " "), paste(decide(singles), collapse = " "),
          paste(decide(texts), collapse = " "))
cat(told, file = "states", sep = "\\n")
"""
JAVA = """
import java.nio.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;

public class Harness {
    static ByteBuffer read(String name) throws Exception {
        return ByteBuffer.wrap(Files.readAllBytes(Path.of(name))).order(ByteOrder.LITTLE_ENDIAN);
    }

    public static void main(String[] arguments) throws Exception {
        ByteBuffer numbers = read("numbers");
        ByteBuffer singles = read("singles");
        StringJoiner told = new StringJoiner("\\n");
        StringJoiner states = new StringJoiner(" ");
        while (numbers.hasRemaining()) states.add(OperatingPointRule.decide(numbers.getDouble()));
        told.add(states.toString());
        states = new StringJoiner(" ");
        while (singles.hasRemaining()) states.add(OperatingPointRule.decide(singles.getFloat()));
        told.add(states.toString());
        states = new StringJoiner(" ");
        for (String line : Files.readString(Path.of("texts.hex")).split("\\n", -1)) {
            byte[] bytes = new byte[line.length() / 2];
            for (int at = 0; at < bytes.length; at++)
                bytes[at] = (byte) Integer.parseInt(line.substring(2 * at, 2 * at + 2), 16);
            states.add(OperatingPointRule.decide(new String(bytes, StandardCharsets.UTF_8)));
        }
        told.add(states.toString());
        Files.writeString(Path.of("states"), told.toString());
    }
}
"""


def run(language, point, scores, folder):
    put(scores, folder)
    folder.joinpath("texts.hex").write_text("\n".join(text.encode().hex() for text in scores.texts))
    if language == "r":
        folder.joinpath("rule.R").write_bytes(rule_file(point, "r").encode())
        folder.joinpath("harness.R").write_text(R)
        subprocess.run(["Rscript", "harness.R"], cwd=folder, check=True)
    else:
        folder.joinpath("Rule.java").write_bytes(rule_file(point, "java").encode())
        folder.joinpath("Harness.java").write_text(JAVA)
        subprocess.run(["javac", "Rule.java", "Harness.java"], cwd=folder, check=True)
        subprocess.run(["java", "Harness"], cwd=folder, check=True)
    found = taken(folder)
    assert [*map(len, found)] == [len(scores.numbers), len(scores.singles), len(scores.texts)]
    return found


@pytest.mark.parametrize("language", ["r", "java"])
def test_a_million_scores_are_decided_as_the_document_does(language, tmp_path):
    point = POINTS["all digits"]
    scores = scores_for(point, ALL)
    assert len(scores) >= ALL
    assert disagreements(point, scores, run(language, point, scores, tmp_path)) == []


@pytest.mark.parametrize("kind", [*POINTS])
@pytest.mark.parametrize("language", ["r", "java"])
def test_every_kind_of_document_is_decided_alike_and_tests_itself(language, kind, tmp_path):
    point = POINTS[kind]
    scores = scores_for(point, 4000)
    assert disagreements(point, scores, run(language, point, scores, tmp_path)) == []
    command = ["Rscript"] if language == "r" else ["java"]
    status, told = self_test(language, rule_file(point, language), tmp_path, command)
    assert status == 0, told
    assert "self-test passed" in told


@pytest.mark.parametrize(
    ("language", "right", "wrong"), [("r", "p >= 0x1.9", "p > 0x1.9"), ("java", "p >= 0.8", "p > 0.8")]
)
def test_the_self_test_notices_a_fault(language, right, wrong, tmp_path):
    text = rule_file(POINTS["few digits"], language)
    assert right in text
    status, told = self_test(
        language, text.replace(right, wrong), tmp_path, ["Rscript"] if language == "r" else ["java"]
    )
    assert status == 1
    assert "self-test FAILED" in told


def test_numbers_and_missing_values_in_r_are_told_apart_from_factors(tmp_path):
    folder = tmp_path
    folder.joinpath("rule.R").write_bytes(rule_file(POINTS["few digits"], "r").encode())
    code = (
        'source("rule.R"); '
        'cat(decide(c(0.1, NA, NaN, Inf, 1L)), decide(factor(c("0.9", "0.1"))), decide(NULL))'
    )
    done = subprocess.run(["Rscript", "-e", code], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["NEG", "ERROR", "ERROR", "ERROR", "POS", "POS", "NEG"]
