import type { ComponentChildren } from 'preact'

/** Heads of columns that hold numbers. */
const NUMBERS: ReadonlySet<ComponentChildren> = new Set(['No.', 'Order', 'Calls', 'Mean', 'In all'])

interface TableProps {
  label: string
  heads: readonly ComponentChildren[]
  class?: string
  children: ComponentChildren
}

/** A table that scrolls inside its own box. */
export function Table({ label, heads, class: name = '', children }: TableProps) {
  return (
    <div class="scroll table-box" tabIndex={0} role="region" aria-label={label}>
      <table class={name}>
        <thead>
          <tr>
            {heads.map((head, index) => (
              <th key={index} scope="col" class={NUMBERS.has(head) ? 'number' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
