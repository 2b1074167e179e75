import type { Static } from 'typebox'
import * as Type from 'typebox'
import { SERVER_NAME, WEB_OR_VARIABLE } from './ids.ts'
import { ByName, Text, Texts } from './schema.ts'
import { ToolRisk } from './words.ts'

/** Where both kinds of placeholders may stand. */
const VARIABLES = '`$' + '{NAME}` and `{env:NAME}` are variables of svc'

const closed = { additionalProperties: false } as const

/**
 * A server of the Model Context Protocol, as other programs describe it too: fields that svc does not know are let pass, so that a
 * block can be pasted from elsewhere.
 */
export const McpServerConfig = Type.Object(
  {
    command: Type.Optional(
      Type.String({ minLength: 1, description: 'program that speaks over standard input and output' }),
    ),
    args: Type.Optional(Texts('its arguments')),
    env: Type.Optional(
      ByName(Type.String(), {
        description: `its variables, beside the few that every program has; ${VARIABLES}`,
      }),
    ),
    cwd: Type.Optional(Text('folder that it starts in; default the workspace')),
    url: Type.Optional(Type.String({ pattern: WEB_OR_VARIABLE, description: 'address of a server that speaks HTTP' })),
    headers: Type.Optional(ByName(Type.String(), { description: `sent with each request; ${VARIABLES}` })),
    oauth: Type.Optional(
      Type.Object(
        {
          clientId: Type.Optional(Text('what the vendor calls svc, where svc cannot register by itself')),
          clientSecret: Type.Optional(Text(`secret that belongs to it; ${VARIABLES}`)),
          grant: Type.Optional(
            Type.Enum(['authorization_code', 'client_credentials'], {
              default: 'authorization_code',
              description:
                'who signs in: a person in a browser, or svc itself, which needs `clientId`, `issuer`, and `clientSecret` or `privateKey`',
            }),
          ),
          privateKey: Type.Optional(Text(`key in PEM that signs in place of a secret; ${VARIABLES}`)),
          algorithm: Type.Optional(Type.String({ default: 'ES256', description: 'of `privateKey`' })),
          issuer: Type.Optional(Text('the one authorization server that is sent what `client_credentials` prove')),
          scope: Type.Optional(Text('rights to ask for with `client_credentials`, with blanks between them')),
          callbackPort: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 65_535,
              description: 'port of 127.0.0.1 that the browser comes back to; default any free one',
            }),
          ),
        },
        { additionalProperties: true, description: 'how `svc mcp login` signs in to a server with an address' },
      ),
    ),
    disabled: Type.Optional(Type.Boolean({ default: false, description: 'true: it is not used' })),
    timeoutMs: Type.Optional(
      Type.Integer({ minimum: 1, default: 30_000, description: 'longest wait for its start, and for a call' }),
    ),
    tools: Type.Optional(
      Type.Object(
        {
          allow: Type.Optional(Texts('names or globs of the tools that are offered; default all')),
          deny: Type.Optional(Texts('names or globs of tools that are not offered')),
          risk: Type.Optional(
            ByName(Type.Enum(ToolRisk.enum), {
              description: 'risk of tools, by name or glob; default `execute`, whatever the server says',
            }),
          ),
          idempotent: Type.Optional(Texts('names or globs of tools that may be called again after a crash')),
        },
        { ...closed, description: 'which of its tools are offered, and how far they are trusted' },
      ),
    ),
  },
  { additionalProperties: true },
)
export type McpServerConfig = Static<typeof McpServerConfig>

/** Servers of the Model Context Protocol, by name. */
export const McpServers = ByName(
  McpServerConfig,
  { description: 'servers of the Model Context Protocol whose tools agents may use, by name' },
  SERVER_NAME.source,
)
