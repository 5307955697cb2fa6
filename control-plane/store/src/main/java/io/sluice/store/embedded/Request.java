package io.sluice.store.embedded;

import io.sluice.store.Store.CommitResult;
import io.sluice.store.Store.Condition;
import io.sluice.store.Store.Operation;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What callers hand to the committer. */
sealed interface Request {

    /** Ends the caller's wait with an error. */
    void fail(RuntimeException error);

    record Commit(
            List<Condition> conditions,
            List<Operation> operations,
            CompletableFuture<CommitResult> answer)
            implements Request {

        /** Whether it makes room, or none is needed. */
        boolean onlyDeletes() {
            return operations.stream().allMatch(Operation.Delete.class::isInstance);
        }

        long bytes() {
            long bytes = 0;
            for (Operation operation : operations) {
                if (operation instanceof Operation.Put put) {
                    bytes += put.key().length() + put.value().length;
                }
            }
            return bytes;
        }

        @Override
        public void fail(RuntimeException error) {
            answer.completeExceptionally(error);
        }
    }

    record Compact(long revision, CompletableFuture<Long> answer) implements Request {
        @Override
        public void fail(RuntimeException error) {
            answer.completeExceptionally(error);
        }
    }

    /** The last request. */
    record Close() implements Request {
        @Override
        public void fail(RuntimeException error) {
            // nobody waits for it: close waits for the thread
        }
    }
}
