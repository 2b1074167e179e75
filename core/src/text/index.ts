/** Text utilities without state, shared by runtime and components. */
export * from './estimate-tokens.ts'
export * from './words.ts'
