import type { Static } from 'typebox'
import * as Type from 'typebox'
import { WEB } from './ids.ts'
import { ByName, Text } from './schema.ts'

/** How people sign in to a server, and whose tokens it takes: OpenID Connect. */
export const OidcConfig = Type.Object(
  {
    // A variable of the environment sets one field at a time, so it is the server that asks for all of them.
    issuer: Type.Optional(
      Type.String({
        pattern: WEB,
        description: 'needed: address of the provider, as its tokens name it in `iss`; `http:` on this machine alone',
      }),
    ),
    clientId: Type.Optional(Text('needed: client of the provider that this server is')),
    clientSecret: Type.Optional(
      Text(
        'of that client; default none: a public client. It belongs into `SVC_SERVER_OIDC_CLIENT_SECRET`, or the file that `SVC_SERVER_OIDC_CLIENT_SECRET_FILE` names',
      ),
    ),
    scopes: Type.Optional(
      Type.Array(Type.String(), {
        default: ['openid', 'profile', 'email'],
        description: 'what the console asks the provider for when somebody signs in',
      }),
    ),
    audience: Type.Optional(
      Text('`aud` of the tokens that programs send as `Authorization: Bearer`; default none: no token is taken'),
    ),
    nameClaim: Type.Optional(
      Type.String({
        default: 'preferred_username',
        description: 'claim with the name that people are shown by; where it is absent, `email`, else `sub`',
      }),
    ),
    roleClaim: Type.Optional(
      Type.String({
        default: 'roles',
        description: 'claim with the roles or groups of a person, or its path, such as `realm_access.roles`',
      }),
    ),
    roles: Type.Optional(
      ByName(Type.Array(Type.Enum(['submit', 'approve', 'admin']), { minItems: 1 }), {
        description:
          'needed: what who has a value of `roleClaim` may do, by value; several add up, and who has none may do nothing',
      }),
    ),
    sessionMinutes: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1_440,
        default: 60,
        description: 'how long a sign-in is good; roles that were taken away at the provider end with it',
      }),
    ),
  },
  { additionalProperties: false, description: 'sign-in of people with OpenID Connect' },
)
export type OidcConfig = Static<typeof OidcConfig>
