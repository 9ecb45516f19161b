/** A snippet on which the two engines are known to differ: what each of them makes of it, and why. */
export interface Difference {
  readonly snippet: string
  readonly wasmoon: string
  readonly luaInJs: string
  readonly why: string
}

/** Every one of them; docs/lua-engines.md has them as a table. */
export const differences: readonly Difference[] = [
  {
    snippet: 'errors: bad argument through pcall',
    wasmoon: `gives false, "bad argument #1 to 'string.rep' (string expected, got no value)"`,
    luaInJs: `gives false, "bad argument #1 to '?' (string expected, got no value)"`,
    why: 'a library function is not told under which name another one calls it',
  },
  {
    snippet: 'functions: recursion three thousand deep',
    wasmoon: 'gives integer 3000',
    luaInJs: 'raises "snippet:1: stack overflow"',
    why: 'Lua calls use the stack of JavaScript; between one and three thousand of them fit',
  },
  {
    snippet: 'functions: recursion fifty thousand deep',
    wasmoon: 'gives true',
    luaInJs: 'gives false',
    why: 'as above',
  },
  {
    snippet: 'functions: tail calls fifty thousand deep',
    wasmoon: 'gives true',
    luaInJs: 'gives false',
    why: 'a tail call takes a place on the stack like any other',
  },
  {
    snippet: 'library: a constant cannot be assigned to',
    wasmoon: 'gives true',
    luaInJs: 'gives false',
    why: '`<const>` is read and not enforced',
  },
  {
    snippet: 'library: the sign of not a number',
    wasmoon: 'gives "-nan", "nan"',
    luaInJs: 'gives "nan", "nan"',
    why: 'JavaScript does not tell of the sign',
  },
  {
    snippet: 'library: format of a hexadecimal float with a precision',
    wasmoon: 'gives "0x1.00p+0"',
    luaInJs: 'gives "0x1p+0"',
    why: '`%a` always writes all digits that there are',
  },
  {
    snippet: 'library: a malformed part of a pattern that is never reached',
    wasmoon: 'gives nil',
    luaInJs: 'raises "snippet:1: unfinished capture"',
    why: 'a pattern is read whole before it is matched',
  },
  {
    snippet: 'literals: hexadecimal floats',
    wasmoon: 'gives float 0.5, float 16.0, float 21.0',
    luaInJs: 'does not compile: line 1',
    why: 'the parser wants a digit before the point of a hexadecimal float',
  },
  {
    snippet: 'literals: a local variable that closes',
    wasmoon: 'gives "closed"',
    luaInJs: 'does not compile: line 2',
    why: 'the parser reads Lua 5.3, which has no `<close>`',
  },
  {
    snippet: 'loops: goto over two labels',
    wasmoon: 'gives integer 2',
    luaInJs: 'does not compile: line 1',
    why: 'a goto becomes a jump that JavaScript has; one that crosses another label has none',
  },
  {
    snippet: 'loops: a goto without its label is a syntax error',
    wasmoon: 'does not compile: line 2',
    luaInJs: 'does not compile: line 1',
    why: 'Lua names the line where the block ends, this parser the one of the goto',
  },
  {
    snippet: 'loops: a label twice is a syntax error',
    wasmoon: 'does not compile: line 2',
    luaInJs: 'does not compile: line 1',
    why: 'Lua names the line of the next token',
  },
  {
    snippet: 'tables: sort of different types fails',
    wasmoon: 'raises "attempt to compare string with number"',
    luaInJs: 'raises "attempt to compare number with string"',
    why: 'another method of sorting compares other pairs; it is stable, and wrong orders never raise an error',
  },
]
