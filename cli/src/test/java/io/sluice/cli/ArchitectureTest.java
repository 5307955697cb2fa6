package io.sluice.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;

import org.junit.jupiter.api.Test;

/** The directions in which parts may know each other. Think before changing a rule here: it is the design. */
class ArchitectureTest {
    private static final String[] PURE = {
        "io.sluice.api.net..",
        "io.sluice.api.meta..",
        "io.sluice.api.model..",
        "io.sluice.api.selector..",
        "io.sluice.api.quantity..",
        "io.sluice.endpoints..",
        "io.sluice.rules..",
        "io.sluice.nft..",
        "io.sluice.dataplane.config..",
        "io.sluice.dataplane.apply..",
        "io.sluice.apiserver.schema..",
        "io.sluice.apiserver.patch..",
        "io.sluice.apiserver.validation..",
    };

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.sluice");

    private static void check(ArchRule rule) {
        rule.check(CLASSES);
    }

    @Test
    void pureCodeHasNoThreadsClocksLoggersOrFiles() {
        check(noClasses()
                .that()
                .resideInAnyPackage(PURE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.netty..",
                        "jnr..",
                        "org.slf4j..",
                        "java.nio.file..",
                        "java.util.concurrent.atomic..",
                        "java.sql..")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.Thread")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(java.time.Instant.class, "now"));
    }

    @Test
    void onlyTheKernelDoorUsesNativeCalls() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage("io.sluice.kernel..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("jnr.."));
    }

    @Test
    void endpointsKnowOnlyTheApiWithoutItsClient() {
        check(noClasses()
                .that()
                .resideInAPackage("io.sluice.endpoints..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.sluice.api.client..",
                        "io.sluice.kernel..",
                        "io.sluice.dataplane..",
                        "io.sluice.apiserver..",
                        "io.sluice.store..",
                        "io.sluice.controllers..",
                        "io.sluice.cli.."));
    }

    @Test
    void componentsReachTheClusterThroughTheClientAlone() {
        check(noClasses()
                .that()
                .resideInAnyPackage("io.sluice.controllers..", "io.sluice.dataplane..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.sluice.apiserver..", "io.sluice.store..", "io.sluice.cli.."));
    }

    @Test
    void controlPlaneDoesNotKnowTheDataplane() {
        check(noClasses()
                .that()
                .resideInAnyPackage("io.sluice.store..", "io.sluice.apiserver..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.sluice.dataplane..",
                        "io.sluice.kernel..",
                        "io.sluice.controllers..",
                        "io.sluice.api.client..",
                        "io.sluice.cli.."));
    }

    @Test
    void onlyTheStoreKnowsItsEngine() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage("io.sluice.store..")
                .and()
                .resideOutsideOfPackage("io.sluice.bench..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "org.sqlite.."));
    }

    @Test
    void nobodyKnowsTheCommandLine() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages("io.sluice.cli..", "io.sluice.bench..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.sluice.cli..", "picocli.."));
    }

    @Test
    void exceptionsSayWhatTheyAre() {
        check(classes()
                .that()
                .areAssignableTo(Throwable.class)
                .should()
                .haveSimpleNameEndingWith("Exception"));
    }
}
