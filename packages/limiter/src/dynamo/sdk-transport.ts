import {
  BatchGetItemCommand,
  type ConditionalCheckFailedException,
  GetItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
  type UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { StoreFailure, type WireItem } from '@millrace/core';
import type { UpdateReply, WireOperation, WireOperations, WireTransport } from '../wire/wire-transport.js';
import type { Sender } from './sender.js';

const REFUSED = 'ConditionalCheckFailedException';

/** Sends through a client of the AWS SDK: the user's own with its middleware, or ours. */
export class SdkTransport implements WireTransport {
  readonly #sender: Sender;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  async send<O extends WireOperation>(operation: O, request: WireOperations[O]['request']): Promise<WireOperations[O]['reply']>;
  async send(operation: WireOperation, request: WireOperations[WireOperation]['request']): Promise<object> {
    switch (operation) {
      case 'UpdateItem':
        return this.#update(request as UpdateItemCommandInput);
      case 'GetItem':
        return this.#sender.send(operation, new GetItemCommand(request as WireOperations['GetItem']['request']));
      case 'BatchGetItem':
        return this.#sender.send(operation, new BatchGetItemCommand(request as WireOperations['BatchGetItem']['request']));
    }
  }

  async #update(request: UpdateItemCommandInput): Promise<UpdateReply> {
    try {
      const output = await this.#sender.send<UpdateItemCommandOutput>('UpdateItem', new UpdateItemCommand(request), REFUSED);
      return { isRefused: false, Attributes: output.Attributes as WireItem | undefined };
    } catch (error) {
      if (error instanceof StoreFailure || (error as Error).name !== REFUSED) throw error;
      return { isRefused: true, Item: (error as ConditionalCheckFailedException).Item as WireItem | undefined };
    }
  }
}
