/** Text utilities without state, shared by runtime and components. */
export * from './compact-messages.ts'
export * from './decimal-comma.ts'
export * from './estimate-tokens.ts'
export * from './find-json.ts'
export * from './measure-media.ts'
export * from './media.ts'
export * from './nearest.ts'
export * from './words.ts'
