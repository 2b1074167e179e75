import { ValidationError } from '../../errors.ts'

/**
 * The id of an agent profile that has none: made from its name.
 *
 * @throws ValidationError `validation_failed` for a name without letters from a to z
 */
export function toAgentId(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 64)
    .replace(/(?<!-)-+$/, '')
  if (slug !== '') return slug
  throw new ValidationError(
    'validation_failed',
    `agent: no id can be made from the name "${name}": give it an id of lower-case letters, digits and hyphens`,
    {
      errors: [{ path: '/id', message: 'must be given when the name has no letters from a to z' }],
    },
  )
}
