/** The HTTP service over one runtime. */
export { createServer, type LiveSettings, type Server, type ServerOptions } from './create-server.ts'
export { type Keys, type ScopedKey, toKeys } from './http/request/authenticate.ts'
export type { Caller, Need, Scope } from './http/request/caller.ts'
export type { LocalKey } from './http/request/local-key.ts'
export { watchKeysFile } from './keys/keys-file.ts'
export { weaknessOf } from './keys/weak-key.ts'
export { createOpenApi, type OpenApiDocument } from './openapi/document.ts'
export { type Answer, ROUTES, type Route, type RouteRequest } from './routes/index.ts'
