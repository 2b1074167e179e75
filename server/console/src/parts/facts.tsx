import { type ComponentChildren, Fragment } from 'preact'

export type Fact = readonly [name: string, value: ComponentChildren]

/** Names and what stands for them; those without a value are left out. */
export function Facts({ of, class: extra = 'small' }: { of: readonly Fact[]; class?: string }) {
  return (
    <dl class={`facts ${extra}`}>
      {of
        .filter(([, value]) => value !== undefined && value !== '' && value !== false)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  )
}
