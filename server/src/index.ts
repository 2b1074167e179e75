/** The HTTP service over one runtime. */
export { createServer, type LiveSettings, type Server, type ServerOptions } from './create-server.ts'
export { type Keys, toKeys } from './http/request/authenticate.ts'
export { createOpenApi, type OpenApiDocument } from './openapi/document.ts'
export { type Answer, ROUTES, type Route, type RouteRequest } from './routes/index.ts'
