import { describe, expect, it } from 'vitest';
import { DecisionCounts } from './decision-counts.js';

function counting(maxResources: number, topEntities = 0): DecisionCounts {
  return new DecisionCounts(() => 0, maxResources, topEntities);
}

function ask(counts: DecisionCounts, resource: string, times = 1, entity = 'key'): void {
  for (let index = 0; index < times; index += 1) counts.decided({ entity, resource }, 'admitted', 1);
}

/** How often each resource was admitted, by the name that it is reported by. */
function admittedBy(counts: DecisionCounts): Record<string, unknown> {
  return Object.fromEntries(
    counts.take('table').resources.map(({ dimensions, metrics }) => {
      return [dimensions['Resource'], metrics.find(({ definition }) => definition.name === 'Admitted')?.value];
    }),
  );
}

describe('decisions by resource', () => {
  it('are as many resources as there is place for; the rest is told together', () => {
    const counts = counting(2);
    for (const [index, resource] of ['a', 'b', 'c', 'd'].entries()) ask(counts, resource, index + 1);

    expect(admittedBy(counts)).toEqual({ a: 1, b: 2, '(other)': 7 });
  });

  it('keep the place of a resource while it is in use, and give it to another once it is not', () => {
    const counts = counting(2);
    ask(counts, 'a');
    ask(counts, 'b');
    counts.take('table');
    ask(counts, 'c');
    ask(counts, 'b');
    expect(admittedBy(counts)).toEqual({ b: 1, '(other)': 1 });

    ask(counts, 'c');
    ask(counts, 'b');
    expect(admittedBy(counts)).toEqual({ b: 1, c: 1 });
  });

  it('are told only of the whole where no resource has a place', () => {
    const counts = counting(0);
    ask(counts, 'a', 3);
    const { total, resources } = counts.take('table');

    expect(resources).toEqual([]);
    expect(total.find(({ definition }) => definition.name === 'Admitted')?.value).toBe(3);
  });

  it('begin anew after each report', () => {
    const counts = counting(2);
    ask(counts, 'a');
    counts.take('table');

    expect(counts.take('table')).toMatchObject({ resources: [], entities: [] });
  });
});

describe('the entities that ask most', () => {
  it('are told, most first, each resource apart', () => {
    const counts = counting(1, 2);
    ask(counts, 'a', 3, 'small');
    ask(counts, 'a', 9, 'large');
    ask(counts, 'b', 5, 'large');
    counts.decided({ entity: 'large', resource: 'b' }, 'locally-rejected', 1);

    expect(counts.take('table').entities).toEqual([
      { entity: 'large', resource: 'a', acquires: 9, rejected: 0 },
      { entity: 'large', resource: 'b', acquires: 6, rejected: 1 },
    ]);
  });

  it('are not told unless they are wanted', () => {
    const counts = counting(1);
    ask(counts, 'a');

    expect(counts.take('table').entities).toEqual([]);
  });
});
