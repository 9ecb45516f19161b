/** Style rules. */
/** Rules that differ from their category. */
const RULES = {
  'typescript/no-floating-promises': 'error',
  'typescript/no-misused-promises': 'error',
  'typescript/await-thenable': 'error',
  'typescript/no-explicit-any': 'error',
  'typescript/switch-exhaustiveness-check': [
    'error',
    {
      considerDefaultExhaustiveForUnions: true,
    },
  ],
  'typescript/consistent-type-imports': 'error',
  'typescript/no-unsafe-type-assertion': 'off',
  'import/no-default-export': 'error',
  'import/no-cycle': 'error',
  'unicorn/filename-case': [
    'error',
    {
      case: 'kebabCase',
    },
  ],
  'no-shadow': 'off',
  'no-await-in-loop': 'off',
  'no-underscore-dangle': 'off',
  'import/no-named-as-default-member': 'off',
  'unicorn/consistent-function-scoping': 'off',
  'unicorn/no-useless-spread': 'off',
  'typescript/no-misused-spread': [
    'error',
    {
      allow: ['string'],
    },
  ],
  'typescript/consistent-return': 'off',
  'no-control-regex': 'off',
  'typescript/require-array-sort-compare': [
    'error',
    {
      ignoreStringArrays: true,
    },
  ],
  'typescript/unbound-method': 'off',
  'unicorn/require-post-message-target-origin': 'off',
}

export default {
  plugins: ['typescript', 'import', 'unicorn', 'oxc'],
  categories: { correctness: 'error', suspicious: 'error' },
  ignorePatterns: ['dist'],
  rules: RULES,
  overrides: [
    {
      files: ['test/**/vitest.config.ts', 'rolldown.config.ts', 'rollup.types.mjs', '.oxlintrc.mjs'],
      rules: { 'import/no-default-export': 'off' },
    },
  ],
}
