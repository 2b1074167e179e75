import { SLOTS, SvcConfig } from '../contracts/config.ts'
import type { JsonSchema } from '../contracts/schema.ts'

/** Fields that only a code file can fill. */
const CODE_ONLY = ['create', 'run']

/**
 * The JSON Schema of config files, for editors: the content of `svc.schema.json`. It describes JSON and YAML
 * files; a code file may also hold plugins and functions.
 */
export function configJsonSchema(): JsonSchema {
  const schema = JSON.parse(JSON.stringify(SvcConfig, (key, value) => (CODE_ONLY.includes(key) ? undefined : value)))
  const module = {
    type: 'string',
    description: 'a path from this file, or a package; its default export is the plugin',
  }
  const slot = (name: string) => [name, { anyOf: [module, { const: false, description: 'switches it off' }] }]
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of svc',
    ...schema,
    properties: {
      $schema: { type: 'string' },
      ...schema.properties,
      plugins: {
        type: 'array',
        description: schema.properties.plugins.description,
        items: {
          anyOf: [module, { type: 'array', prefixItems: [module, { type: 'object' }], minItems: 2, maxItems: 2 }],
        },
      },
      components: { type: 'object', properties: Object.fromEntries(SLOTS.map(slot)), additionalProperties: false },
    },
  }
}
