"""Hive's built-in functions: their kinds, Hive's implementation classes, and the versions that have them.

Operators, CASE and CAST are syntax and not listed; what needs an OVER window or GROUP BY is SQL's own function (``OWN``).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from table_common.frozen_dataclass import dataclass
from table_common.functions import FunctionKind

VERSIONS = ("1.0", "1.1", "1.2", "2.0", "2.1", "2.2", "2.3", "3.0", "3.1")
"""The lines of Hive whose lists are known, in order; versions of one line have the same functions."""

OWN: Mapping[str, str] = {
    "count": "COUNT",
    "cume_dist": "CUME_DIST",
    "dense_rank": "DENSE_RANK",
    "first_value": "FIRST_VALUE",
    "grouping": "GROUPING",
    "lag": "LAG",
    "last_value": "LAST_VALUE",
    "lead": "LEAD",
    "ntile": "NTILE",
    "percent_rank": "PERCENT_RANK",
    "rank": "RANK",
    "row_number": "ROW_NUMBER",
}
"""Functions that depend on clauses of a query, and the built-in function that replaces them on every engine."""


@dataclass(frozen=True, slots=True)
class HiveBuiltIn:
    """A line of the table: ``class_name`` is empty where Hive 2.3 has no such function; ``until`` is the first line without it."""

    name: str
    kind: FunctionKind
    class_name: str
    since: str
    until: str | None

    def is_in(self, version: str) -> bool:
        """Returns whether the line of versions has the function."""
        position = VERSIONS.index(version)
        return VERSIONS.index(self.since) <= position and (self.until is None or position < VERSIONS.index(self.until))


@cache
def hive_built_ins() -> Mapping[str, HiveBuiltIn]:
    """Returns all functions of all versions by name."""
    found = {}
    for line in _TABLE.strip().splitlines():
        name, kind, class_name, versions = line.split()
        since, _, until = versions.partition("-")
        full = "" if class_name == "-" else f"org.apache.hadoop.hive.ql.udf.{class_name}"
        found[name] = HiveBuiltIn(name, _KINDS[kind], full, since, until or None)
    return found


_KINDS = {"S": FunctionKind.SCALAR, "A": FunctionKind.AGGREGATE, "T": FunctionKind.TABLE}

# Name, kind (scalar, aggregate, table), class in org.apache.hadoop.hive.ql.udf, first version, and after a dash the first without it.
_TABLE = """
abs S generic.GenericUDFAbs 1.0
acos S UDFAcos 1.0
add_months S generic.GenericUDFAddMonths 1.1
aes_decrypt S generic.GenericUDFAesDecrypt 2.0
aes_encrypt S generic.GenericUDFAesEncrypt 2.0
array S generic.GenericUDFArray 1.0
array_contains S generic.GenericUDFArrayContains 1.0
ascii S UDFAscii 1.0
asin S UDFAsin 1.0
assert_true S generic.GenericUDFAssertTrue 1.0
assert_true_oom S - 3.0
atan S UDFAtan 1.0
avg A generic.GenericUDAFAverage 1.0
base64 S UDFBase64 1.0
bigint S UDFToLong 1.0
bin S UDFBin 1.0
binary S generic.GenericUDFToBinary 1.0
bloom_filter A generic.GenericUDAFBloomFilter 2.2
boolean S UDFToBoolean 1.0
bround S generic.GenericUDFBRound 2.0
cardinality_violation S generic.GenericUDFCardinalityViolation 2.2
cbrt S generic.GenericUDFCbrt 1.2
ceil S generic.GenericUDFCeil 1.0
ceiling S generic.GenericUDFCeil 1.0
char S generic.GenericUDFToChar 1.0
char_length S generic.GenericUDFCharacterLength 2.2
character_length S generic.GenericUDFCharacterLength 2.2
chr S UDFChr 2.0
coalesce S generic.GenericUDFCoalesce 1.0
collect_list A generic.GenericUDAFCollectList 1.0
collect_set A generic.GenericUDAFCollectSet 1.0
compute_stats A generic.GenericUDAFComputeStats 1.0
concat S generic.GenericUDFConcat 1.0
concat_ws S generic.GenericUDFConcatWS 1.0
context_ngrams A generic.GenericUDAFContextNGrams 1.0
conv S UDFConv 1.0
corr A generic.GenericUDAFCorrelation 1.0
cos S UDFCos 1.0
covar_pop A generic.GenericUDAFCovariance 1.0
covar_samp A generic.GenericUDAFCovarianceSample 1.0
crc32 S UDFCrc32 2.0
create_union S generic.GenericUDFUnion 1.0
current_authorizer S - 3.0
current_database S generic.UDFCurrentDB 1.0
current_date S generic.GenericUDFCurrentDate 1.2
current_groups S - 3.0
current_timestamp S generic.GenericUDFCurrentTimestamp 1.2
current_user S generic.GenericUDFCurrentUser 1.2
date S generic.GenericUDFToDate 1.0
date_add S generic.GenericUDFDateAdd 1.0
date_format S generic.GenericUDFDateFormat 1.2
date_sub S generic.GenericUDFDateSub 1.0
datediff S generic.GenericUDFDateDiff 1.0
day S UDFDayOfMonth 1.0
dayofmonth S UDFDayOfMonth 1.0
dayofweek S UDFDayOfWeek 2.2
decimal S generic.GenericUDFToDecimal 1.0
decode S generic.GenericUDFDecode 1.0
degrees S UDFDegrees 1.0
double S UDFToDouble 1.0
e S UDFE 1.0
elt S generic.GenericUDFElt 1.0
encode S generic.GenericUDFEncode 1.0
enforce_constraint S - 3.0
ewah_bitmap A generic.GenericUDAFEWAHBitmap 1.0-3.0
ewah_bitmap_and S generic.GenericUDFEWAHBitmapAnd 1.0-3.0
ewah_bitmap_empty S generic.GenericUDFEWAHBitmapEmpty 1.0-3.0
ewah_bitmap_or S generic.GenericUDFEWAHBitmapOr 1.0-3.0
exp S UDFExp 1.0
explode T generic.GenericUDTFExplode 1.0
extract_union S generic.GenericUDFExtractUnion 2.1
factorial S generic.GenericUDFFactorial 1.2
field S generic.GenericUDFField 1.0
find_in_set S UDFFindInSet 1.0
float S UDFToFloat 1.0
floor S generic.GenericUDFFloor 1.0
floor_day S UDFDateFloorDay 2.2
floor_hour S UDFDateFloorHour 2.2
floor_minute S UDFDateFloorMinute 2.2
floor_month S UDFDateFloorMonth 2.2
floor_quarter S UDFDateFloorQuarter 2.2
floor_second S UDFDateFloorSecond 2.2
floor_week S UDFDateFloorWeek 2.2
floor_year S UDFDateFloorYear 2.2
format_number S generic.GenericUDFFormatNumber 1.0
from_unixtime S UDFFromUnixTime 1.0
from_utc_timestamp S generic.GenericUDFFromUtcTimestamp 1.0
get_json_object S UDFJson 1.0
get_llap_splits T - 3.0
get_splits T generic.GenericUDTFGetSplits 2.1
greatest S generic.GenericUDFGreatest 1.1
hash S generic.GenericUDFHash 1.0
hex S UDFHex 1.0
histogram_numeric A generic.GenericUDAFHistogramNumeric 1.0
hour S UDFHour 1.0
if S generic.GenericUDFIf 1.0
in_bloom_filter S generic.GenericUDFInBloomFilter 2.2
in_file S generic.GenericUDFInFile 1.0
index S generic.GenericUDFIndex 1.0
initcap S generic.GenericUDFInitCap 1.1
inline T generic.GenericUDTFInline 1.0
instr S generic.GenericUDFInstr 1.0
int S UDFToInteger 1.0
internal_interval S generic.GenericUDFInternalInterval 2.0
interval_day_time S generic.GenericUDFToIntervalDayTime 1.2
interval_year_month S generic.GenericUDFToIntervalYearMonth 1.2
isfalse S - 3.0
isnotfalse S - 3.0
isnotnull S generic.GenericUDFOPNotNull 1.0
isnottrue S - 3.0
isnull S generic.GenericUDFOPNull 1.0
istrue S - 3.0
java_method S generic.GenericUDFReflect 1.0
json_tuple T generic.GenericUDTFJSONTuple 1.0
last_day S generic.GenericUDFLastDay 1.1
lcase S generic.GenericUDFLower 1.0
least S generic.GenericUDFLeast 1.1
length S generic.GenericUDFLength 1.0
levenshtein S generic.GenericUDFLevenshtein 1.2
like S UDFLike 1.0
likeall S - 3.0
likeany S - 3.0
ln S UDFLn 1.0
locate S generic.GenericUDFLocate 1.0
log S UDFLog 1.0
log10 S UDFLog10 1.0
log2 S UDFLog2 1.0
logged_in_user S generic.GenericUDFLoggedInUser 2.2
lower S generic.GenericUDFLower 1.0
lpad S generic.GenericUDFLpad 1.0
ltrim S generic.GenericUDFLTrim 1.0
map S generic.GenericUDFMap 1.0
map_keys S generic.GenericUDFMapKeys 1.0
map_values S generic.GenericUDFMapValues 1.0
mask S generic.GenericUDFMask 2.1
mask_first_n S generic.GenericUDFMaskFirstN 2.1
mask_hash S generic.GenericUDFMaskHash 2.1
mask_last_n S generic.GenericUDFMaskLastN 2.1
mask_show_first_n S generic.GenericUDFMaskShowFirstN 2.1
mask_show_last_n S generic.GenericUDFMaskShowLastN 2.1
max A generic.GenericUDAFMax 1.0
md5 S UDFMd5 2.0
min A generic.GenericUDAFMin 1.0
minute S UDFMinute 1.0
mod S generic.GenericUDFOPMod 2.3
month S UDFMonth 1.0
months_between S generic.GenericUDFMonthsBetween 1.2
murmur_hash S - 3.0
named_struct S generic.GenericUDFNamedStruct 1.0
negative S generic.GenericUDFOPNegative 1.0
next_day S generic.GenericUDFNextDay 1.2
ngrams A generic.GenericUDAFnGrams 1.0
nullif S generic.GenericUDFNullif 2.2
nvl S generic.GenericUDFNvl 1.0
octet_length S generic.GenericUDFOctetLength 2.2
parse_url S UDFParseUrl 1.0
parse_url_tuple T generic.GenericUDTFParseUrlTuple 1.0
percentile A UDAFPercentile 1.0
percentile_approx A generic.GenericUDAFPercentileApprox 1.0
pi S UDFPI 1.0
pmod S generic.GenericUDFPosMod 1.0
posexplode T generic.GenericUDTFPosExplode 1.0
positive S generic.GenericUDFOPPositive 1.0
pow S generic.GenericUDFPower 1.0
power S generic.GenericUDFPower 1.0
printf S generic.GenericUDFPrintf 1.0
quarter S generic.GenericUDFQuarter 2.0
radians S UDFRadians 1.0
rand S UDFRand 1.0
reflect S generic.GenericUDFReflect 1.0
reflect2 S generic.GenericUDFReflect2 1.0
regexp S generic.GenericUDFRegExp 1.0
regexp_extract S UDFRegExpExtract 1.0
regexp_replace S UDFRegExpReplace 1.0
regr_avgx A generic.GenericUDAFBinarySetFunctions$RegrAvgX 2.2
regr_avgy A generic.GenericUDAFBinarySetFunctions$RegrAvgY 2.2
regr_count A generic.GenericUDAFBinarySetFunctions$RegrCount 2.2
regr_intercept A generic.GenericUDAFBinarySetFunctions$RegrIntercept 2.2
regr_r2 A generic.GenericUDAFBinarySetFunctions$RegrR2 2.2
regr_slope A generic.GenericUDAFBinarySetFunctions$RegrSlope 2.2
regr_sxx A generic.GenericUDAFBinarySetFunctions$RegrSXX 2.2
regr_sxy A generic.GenericUDAFBinarySetFunctions$RegrSXY 2.2
regr_syy A generic.GenericUDAFBinarySetFunctions$RegrSYY 2.2
repeat S UDFRepeat 1.0
replace S UDFReplace 2.0
replicate_rows T generic.GenericUDTFReplicateRows 1.0
restrict_information_schema S - 3.0
reverse S UDFReverse 1.0
rlike S generic.GenericUDFRegExp 1.0
round S generic.GenericUDFRound 1.0
rpad S generic.GenericUDFRpad 1.0
rtrim S generic.GenericUDFRTrim 1.0
second S UDFSecond 1.0
sentences S generic.GenericUDFSentences 1.0
sha S UDFSha1 2.0
sha1 S UDFSha1 2.0
sha2 S generic.GenericUDFSha2 2.0
shiftleft S UDFOPBitShiftLeft 1.2
shiftright S UDFOPBitShiftRight 1.2
shiftrightunsigned S UDFOPBitShiftRightUnsigned 1.2
sign S UDFSign 1.0
sin S UDFSin 1.0
size S generic.GenericUDFSize 1.0
smallint S UDFToShort 1.0
sort_array S generic.GenericUDFSortArray 1.0
sort_array_by S generic.GenericUDFSortArrayByField 2.2
soundex S generic.GenericUDFSoundex 1.2
space S UDFSpace 1.0
split S generic.GenericUDFSplit 1.0
sq_count_check S generic.GenericUDFSQCountCheck 2.3
sqrt S UDFSqrt 1.0
stack T generic.GenericUDTFStack 1.0
std A generic.GenericUDAFStd 1.0
stddev A generic.GenericUDAFStd 1.0
stddev_pop A generic.GenericUDAFStd 1.0
stddev_samp A generic.GenericUDAFStdSample 1.0
str_to_map S generic.GenericUDFStringToMap 1.0
string S UDFToString 1.0
struct S generic.GenericUDFStruct 1.0
substr S UDFSubstr 1.0
substring S UDFSubstr 1.0
substring_index S generic.GenericUDFSubstringIndex 2.0
sum A generic.GenericUDAFSum 1.0
surrogate_key S - 3.1
tan S UDFTan 1.0
timestamp S generic.GenericUDFTimestamp 1.0
tinyint S UDFToByte 1.0
to_date S generic.GenericUDFDate 1.0
to_epoch_milli S - 3.0
to_unix_timestamp S generic.GenericUDFToUnixTimeStamp 1.0
to_utc_timestamp S generic.GenericUDFToUtcTimestamp 1.0
translate S generic.GenericUDFTranslate 1.0
trim S generic.GenericUDFTrim 1.0
trunc S generic.GenericUDFTrunc 1.2
ucase S generic.GenericUDFUpper 1.0
unbase64 S UDFUnbase64 1.0
unhex S UDFUnhex 1.0
unix_timestamp S generic.GenericUDFUnixTimeStamp 1.0
upper S generic.GenericUDFUpper 1.0
uuid S UDFUUID 2.3
var_pop A generic.GenericUDAFVariance 1.0
var_samp A generic.GenericUDAFVarianceSample 1.0
varchar S generic.GenericUDFToVarchar 1.0
variance A generic.GenericUDAFVariance 1.0
version S UDFVersion 2.1
weekofyear S UDFWeekOfYear 1.0
width_bucket S - 3.0
xpath S xml.GenericUDFXPath 1.0
xpath_boolean S xml.UDFXPathBoolean 1.0
xpath_double S xml.UDFXPathDouble 1.0
xpath_float S xml.UDFXPathFloat 1.0
xpath_int S xml.UDFXPathInteger 1.0
xpath_long S xml.UDFXPathLong 1.0
xpath_number S xml.UDFXPathDouble 1.0
xpath_short S xml.UDFXPathShort 1.0
xpath_string S xml.UDFXPathString 1.0
year S UDFYear 1.0
"""
