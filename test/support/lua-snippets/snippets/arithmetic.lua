--- sums of integers are integers
return 1 + 2, 5 - 7, 3 * 4, -3 * 0
--- division gives floats
return 10 / 2, 7 / 2, 1 / 3, -1 / 4
--- floor division
return 7 // 2, -7 // 2, 7 // -2, -7 // -2, 7.5 // 2, -7.5 // 2
--- floor division by a float zero
return 1 // 0.0, -1 // 0.0
--- floor division by zero fails
return 1 // 0
--- modulo takes the sign of the divisor
return 7 % 3, -7 % 3, 7 % -3, -7 % -3, 5.5 % 2, -5.5 % 2, 5.5 % -2
--- modulo by zero fails
return 1 % 0
--- modulo by infinity
return 5 % math.huge, -5 % math.huge, 5 % -math.huge
--- powers are floats
return 2 ^ 10, 2 ^ 0.5, 2 ^ -1, (-2) ^ 2, -2 ^ 2
--- powers associate to the right
return 2 ^ 3 ^ 2, 2 ^ -3 ^ 2
--- precedence of operators
return 1 + 2 * 3 - 4 / 2, (1 + 2) * 3, not 1 == 2, -2 ^ 2, 2 .. 3 .. 4, "a" .. 1 + 2
--- integers and floats mix
return 1 + 1.0, 1.5 + 1.5, 2 * 0.5, 3 - 3.0
--- large integers stay exact
return 9007199254740993 + 2, 9007199254740992 * 3, 2^53 == 2^53 + 1
--- integers wrap around
return math.maxinteger + 1 == math.mininteger, math.maxinteger * 2, math.mininteger - 1, -math.mininteger
--- products beyond 2^53 stay exact
return 123456789 * 987654321, 1234567890123 * 1234567, 3037000500 * 3037000500
--- integer division of large integers
return math.maxinteger // 2, math.mininteger // 3, math.mininteger // -1, math.maxinteger % 10
--- the unary minus
local x = 5 return -x, - -x, -0, -0.0, -(3.5)
--- infinities and not a number
return 1 / 0, -1 / 0, math.huge - math.huge ~= math.huge - math.huge
--- bitwise operators
return 5 & 3, 5 | 3, 5 ~ 3, ~0, ~5, 1 << 4, 256 >> 4
--- shifts
return 1 << 63, 1 << 64, -1 >> 1, -1 >> 63, 1 << -1, 2 >> -2, -1 << 1
--- bitwise operators take floats that are whole
return 5.0 & 3, "7" & 3, 2^31 | 0
--- bitwise operators refuse fractions
return 1.5 & 1
--- bitwise operators refuse nil
local x return x | 1
--- text that says a number is a number
return "10" + 5, "3" * "4", "0x10" + 0, " 5 " + 1, "1e1" + 0, -"2"
--- text that says no number fails
return "abc" + 1
--- adding nil names the variable
local missing return 1 + missing
--- adding nil names the field
local t = {} return t.count + 1
--- adding nil names the global
return nothing_here + 1
--- adding a table
local t = {} return t + 1
--- adding a boolean
return true + 1
--- comparing numbers
return 1 < 2, 2 <= 2, 3 > 4, 1 == 1.0, 1 ~= 2, -0.0 == 0, 1 < 1.5
--- comparing integers and floats exactly
return 9007199254740993 == 9007199254740992.0, 9007199254740993 > 9007199254740992.0, math.maxinteger < math.huge, math.maxinteger + 0.0 == math.maxinteger
--- not a number is unequal to itself
local nan = 0/0 return nan == nan, nan ~= nan, nan < nan, nan <= 1
--- comparing texts goes by bytes
return "a" < "b", "a" < "B", "" < "a", "a" < "aa", "Z" < "a", "10" < "9", "é" > "z"
--- comparing different types for equality
return 1 == "1", nil == false, {} == {}, "a" == "a", 0 == false
--- comparing different types for order fails
return 1 < "2"
--- comparing tables for order fails
return {} < {}
--- comparing nil for order fails
local a return a < 1
--- concatenating numbers
return 1 .. 2, 1.0 .. "", -1 .. "x", 2^53 .. "", 10 / 2 .. ""
--- concatenating nil names the variable
local name return "hello " .. name
--- concatenating a field that is nil
local t = {} return "x" .. t.y .. "z"
--- concatenating a boolean
return "x" .. true
--- the length operator
return #"abc", #{1, 2, 3}, #"", #{}, #{n = 1}
--- the length of nil names the variable
local list return #list
--- the length of a number
return #5
--- converting a float that is whole
return 3.0, 3.0 == 3, 1e15, 2^53, 2^63, -1e15, 123456.0
--- many digits
return 1/3, 100/3, 1e15/3, 2/3*1e-5, 123456789.123, 0.1 + 0.2
--- modulo of a multiple with another sign
return -6 % 3, 6 % -3, -6 % 4
