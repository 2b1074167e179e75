import type { ComponentChildren } from 'preact'

/** Of a column that holds numbers. */
interface NumberHead {
  number: string
  title?: string
}

interface TableProps {
  label: string
  heads: readonly (ComponentChildren | NumberHead)[]
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
            {heads.map((head, index) =>
              isNumber(head) ? (
                <th key={index} scope="col" class="number" title={head.title}>
                  {head.number}
                </th>
              ) : (
                <th key={index} scope="col">
                  {head}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

const isNumber = (head: ComponentChildren | NumberHead): head is NumberHead =>
  typeof head === 'object' && head !== null && 'number' in head
