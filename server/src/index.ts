/** The HTTP service over one runtime. */
export { createServer, type LiveSettings, type Server, type ServerOptions } from './create-server.ts'
export { type Keys, type ScopedKey, toKeys } from './http/request/authenticate.ts'
export type { Caller, Need, Scope } from './keys/caller.ts'
export { watchKeysFile } from './keys/keys-file.ts'
export type { LocalKey } from './keys/local-key.ts'
export { weaknessOf } from './keys/weak-key.ts'
export { createOpenApi, type OpenApiDocument } from './openapi/document.ts'
export { type Answer, ROUTES, type Route, type RouteRequest } from './routes/index.ts'
